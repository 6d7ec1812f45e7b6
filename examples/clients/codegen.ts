import { readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      documents: 'src/**/*.ts',
      // Fragments give whole types, without masks around them.
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
