import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartError } from './core/errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/** How a command is started: from the package where it is installed, or else in a clone. */
export const howToRun = (command: string): string =>
  import.meta.url.includes('/node_modules/') ? `npx resource-gateway ${command}` : `npm run -s ${command} --`;

/** What follows the name of a command. */
interface Given<Known extends Options> {
  readonly values: Values<Known>;
  readonly positionals: readonly string[];
}

/** The options of a command; undefined where its usage was asked for, and printed. Throws StartError for what it does not take. */
export const readOptions = <const Known extends Options>(
  usage: string,
  options: Known,
): Values<Known> | undefined => read(usage, options, false)?.values;

/** The options of a command, and the arguments that are none. */
export const readArguments = <const Known extends Options>(
  usage: string,
  options: Known,
): Given<Known> | undefined => read(usage, options, true);

function read<const Known extends Options>(
  usage: string,
  options: Known,
  allowPositionals: boolean,
): Given<Known> | undefined {
  const args = process.argv.slice(2);
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    return undefined;
  }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals });
    return { values, positionals };
  } catch (error) {
    // What follows its first sentence is about arguments that no command here takes.
    const [fault = ''] = (error as Error).message.split('. ');
    throw new StartError(`${fault}. --help tells what there is.`);
  }
}
