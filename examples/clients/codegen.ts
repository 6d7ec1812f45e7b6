import { readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      documents: 'src/**/*.ts',
      // Fragment masking is off: each fragment has its whole type.
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: JSON.parse(readFileSync(new URL('codegen-scalars.json', import.meta.url), 'utf8')) as Record<
          string,
          string
        >,
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
      },
    },
  },
};

export default config;
