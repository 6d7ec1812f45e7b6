import { channelStoreContract, sampleChannel } from '../../contracts/channel-store.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';
import { trimChannels } from '../../../src/adapters/postgres/channels/store.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { putCalendar, sampleCalendar, alice } from '../../contracts/event-samples.ts';

describeWithPostgres('the channel store in PostgreSQL', () => {
  const { makeChannelStores, database } = useSharedServer();
  channelStoreContract('PostgreSQL', makeChannelStores);

  test('expired channels are deleted from both tables', async () => {
    const { calendars, channels } = await makeChannelStores(() => startOfTime);
    await putCalendar(calendars, sampleCalendar(alice));
    for (const id of ['old', 'new']) {
      const expiration = startOfTime + (id === 'old' ? 1 : 2);
      const channel = sampleChannel(id, { expiration });
      await channels.changeChannels(alice, () => ({ insert: { channel, revision: 'e.0' }, result: 0 }));
    }
    for (const statement of trimChannels(startOfTime + 1)) await database().query(statement);
    const rows = await database().query({
      text: 'SELECT id FROM channels UNION ALL SELECT id FROM channel_ids',
    });
    expect(rows).toEqual([{ id: 'new' }, { id: 'new' }]);
  });
});
