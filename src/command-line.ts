import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartError } from './core/errors.ts';

/** Declarations of options, as `parseArgs` expects them. */
type Options = NonNullable<ParseArgsConfig['options']>;

/** Returns the shell command that starts a command of the installed package, or of a clone. */
export const formatShellCommand = (command: string): string =>
  import.meta.url.includes('/node_modules/') ? `npx resource-gateway ${command}` : `npm run -s ${command} --`;

/** Parses arguments. For `--help`, prints the usage and returns undefined. Throws StartError for unknown arguments. */
export function readArguments<const DeclaredOptions extends Options>(
  usage: string,
  options: DeclaredOptions,
  allowPositionals = false,
): ReturnType<typeof parseArgs<{ options: DeclaredOptions; allowPositionals: boolean }>> | undefined {
  const args = process.argv.slice(2);
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    return undefined;
  }
  try {
    return parseArgs({ args, options, allowPositionals });
  } catch (error) {
    // Further sentences of Node's message suggest positional arguments, which do not apply here.
    const [problem = ''] = (error as Error).message.split('. ');
    throw new StartError(`${problem}. See --help.`);
  }
}

/** Runs a command. A StartError ends the process with its message and `failureStatus`. */
export async function runCommand(run: () => Promise<void>, failureStatus = 1): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exit(failureStatus);
  }
}
