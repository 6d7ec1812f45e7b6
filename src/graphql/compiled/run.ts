import { setImmediate as breathe } from 'node:timers/promises';
import type { GatewayContext } from '../context.ts';
import type { Root } from './plan.ts';
import type { Outcome } from './replay.ts';
import { Budget } from './turns.ts';
import type { Variables } from './variables.ts';

/** A root field with its arguments. */
export interface Step {
  readonly root: Root;
  readonly args: Record<string, unknown>;
}

export interface Run {
  /** The data as JSON; absent when one of the outcomes is not as expected. */
  readonly json: string | undefined;
  /** What the resolvers came to, by response key. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Runs root fields: those of a mutation one after the other, those of a query together. Each resolver runs once. */
export async function run(steps: readonly Step[], variables: Variables, isMutation: boolean, context: GatewayContext): Promise<Run> {
  const outcomes = new Map<string, Outcome>();
  const budget = new Budget();
  const members: string[] = [];
  let expected = true;

  const write = async ({ root }: Step, index: number, value: unknown): Promise<void> => {
    outcomes.set(root.key, { value });
    if (!expected) return;
    try {
      const written = root.write(value, budget);
      const json = typeof written === 'string' ? written : await written;
      members[index] = `${JSON.stringify(root.key)}:${json}`;
      if (typeof written === 'string' && budget.take(json.length)) await breathe();
    } catch {
      expected = false;
    }
  };
  const runStep = async (step: Step, index: number): Promise<void> => {
    const { root: { resolve, info, key }, args } = step;
    try {
      await write(step, index, await resolve(undefined, args, context, { ...info, variableValues: variables }));
    } catch (error) {
      expected = false;
      outcomes.set(key, { error });
    }
  };

  if (isMutation || steps.length === 1) for (const [index, step] of steps.entries()) await runStep(step, index);
  else await Promise.all(steps.map(runStep));
  return { json: expected ? `{${members.join(',')}}` : undefined, outcomes };
}
