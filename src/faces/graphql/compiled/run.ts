import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { GatewayContext } from '../context.ts';
import { isPromise } from './leaves.ts';
import type { Root } from './plan.ts';
import type { Outcome } from './replay.ts';
import { LengthBudget } from '../../../operations/json-writer.ts';
import type { Variables } from '../input/variable-reader.ts';

/** A root field with its arguments. */
export interface Step {
  readonly root: Root;
  readonly args: Record<string, unknown>;
}

export interface Run {
  /** The data as JSON; absent when a resolver failed or a value could not be written. */
  readonly json: string | undefined;
  /** Results and errors of the resolvers, by response key. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Runs root fields: those of a mutation one after the other, those of a query together. Each resolver runs once. */
export async function run(
  steps: readonly Step[],
  variables: Variables,
  isMutation: boolean,
  context: GatewayContext,
): Promise<Run> {
  const outcomes = new Map<string, Outcome>();
  const budget = new LengthBudget();
  const members: string[] = [];
  let expected = true;

  const runStep = async (
    { root: { resolve, info, key, head, write }, args }: Step,
    index: number,
  ): Promise<void> => {
    let value: unknown;
    let waited = false;
    try {
      value = resolve(undefined, args, context, { variableValues: variables, ...info });
      if (isPromise(value)) {
        waited = true;
        value = await value;
      }
      outcomes.set(key, { value, waited });
    } catch (error) {
      outcomes.set(key, { error, waited });
      expected = false;
    }
    if (!expected) return;
    try {
      const written = write(value, budget);
      members[index] = head + (typeof written === 'string' ? written : await written);
      if (typeof written === 'string' && budget.take(written.length)) await eventLoop.yield();
    } catch {
      expected = false;
    }
  };

  const [only] = steps;
  if (steps.length === 1 && only) await runStep(only, 0);
  else if (isMutation) for (const [index, step] of steps.entries()) await runStep(step, index);
  else await Promise.all(steps.map(runStep));
  return { json: expected ? `{${members.join(',')}}` : undefined, outcomes };
}
