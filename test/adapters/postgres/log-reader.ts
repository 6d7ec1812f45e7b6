import type { MessageLog } from '../../../src/notification/message.store.ts';

/** Reads a topic's log from its end on; each time what is new, at most ten messages. */
export async function logReader(
  log: MessageLog,
  topic: string,
): Promise<{ readonly read: readonly string[]; readOn(): Promise<void> }> {
  let { end } = await log.read(topic);
  const read: string[] = [];
  return {
    read,
    async readOn() {
      const page = await log.readBehind(topic, end, 10);
      read.push(...(page?.messages ?? []).map(({ id }) => id));
      end = page?.end ?? end;
    },
  };
}
