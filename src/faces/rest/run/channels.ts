import type { Fields } from '../../../core/patch.ts';
import { writeResource } from '../../../google/write.ts';
import type { RunMethod } from '../method.ts';

/** Watches a calendar. Clients may send the 64-bit `expiration` as a number. */
export const watchEvents: RunMethod = async ({ row, schemas, args, body, callOperation }) => {
  const { expiration } = body;
  const { value, warnings } = await callOperation(row.operation, {
    ...args,
    channel: typeof expiration === 'number' ? { ...body, expiration: String(expiration) } : body,
  });
  const channel = value as Fields & { readonly expiration: string };
  return {
    json: {
      ...writeResource(schemas, 'Channel', channel),
      expiration: String(Date.parse(channel.expiration)),
    },
    warnings,
  };
};

/** Stops the channel that the body names. */
export const stopChannel: RunMethod = async ({ row, body: { id, resourceId }, callOperation }) => {
  await callOperation(row.operation, { id, resourceId });
  return {};
};
