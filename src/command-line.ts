import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartError } from './core/kernel/errors.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/** The options of a command; undefined where its usage was asked for, and printed. Throws StartError for what it does not take. */
export function readOptions<const Known extends Options>(usage: string, options: Known): Values<Known> | undefined {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    return undefined;
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // What follows its first sentence is about arguments that no command here takes.
    const [fault = ''] = (error as Error).message.split('. ');
    throw new StartError(`${fault}. --help tells what there is.`);
  }
}
