import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartError } from './core/errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** How a command is started: from the package where it is installed, or else in a clone. */
export const howToRun = (command: string): string =>
  import.meta.url.includes('/node_modules/') ? `npx resource-gateway ${command}` : `npm run -s ${command} --`;

/**
 * The options of a command, and the arguments that are none where it takes such; undefined where its usage was asked for, and
 * printed. Throws StartError for what the command does not take.
 */
export function readArguments<const Known extends Options>(
  usage: string,
  options: Known,
  allowPositionals = false,
): ReturnType<typeof parseArgs<{ options: Known; allowPositionals: boolean }>> | undefined {
  const args = process.argv.slice(2);
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    return undefined;
  }
  try {
    return parseArgs({ args, options, allowPositionals });
  } catch (error) {
    // What follows its first sentence is about arguments that no command here takes.
    const [fault = ''] = (error as Error).message.split('. ');
    throw new StartError(`${fault}. --help tells what there is.`);
  }
}

/** Runs a command. A StartError ends the process with a status and its message. */
export async function runCommand(run: () => Promise<void>, failureStatus = 1): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exit(failureStatus);
  }
}
