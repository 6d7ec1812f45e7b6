import { SeedError } from '../../src/seed/seed.ts';
import { printPath } from '../../src/core/path.ts';
import { alice, berlin, bob, startEvents } from './event-http.harness.ts';

export const carol = 'carol@example.com';
export const people = (...lists: (readonly object[])[]) =>
  [alice, bob, carol].map((owner, index) => ({ id: owner, owner, timeZone: berlin, events: lists[index] ?? [] }));

/** The issues of a start from these events on Alice's calendar, each as `path reason`. */
export async function issuesOf(...lists: (readonly object[])[]): Promise<string[]> {
  try {
    const gateway = await startEvents([], { seed: { calendars: people(...lists) } });
    await gateway.close();
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    for (const { path } of error.issues) expect(error.message).toContain(printPath(path));
    return error.issues.map(({ path, reason }) => `${printPath(path)} ${reason}`);
  }
}
