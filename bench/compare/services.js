// The gateway's own services, schema and token check, for whoever serves them in another way.
import { createTokenVerifier } from '../../dist/access/token.js';
import { createMemoryStores } from '../../dist/adapters/memory/stores.js';
import { createCalendarLoader } from '../../dist/calendar/calendar.loaders.js';
import { createCalendarModule } from '../../dist/calendar/calendar.module.js';
import { createCalendarService } from '../../dist/calendar/calendar.service.js';
import { WorkBudget } from '../../dist/core/runtime/work-budget.js';
import { createSerialQueue } from '../../dist/core/runtime/serial-queue.js';
import { createEventModule } from '../../dist/event/event.module.js';
import { eventFields } from '../../dist/event/model/fields.js';
import { compileModel } from '../../dist/event/model/model.js';
import { createNotes } from '../../dist/faces/graphql/notes.js';
import { createGateway } from '../../dist/faces/graphql/schema.js';
import { createNotificationModule } from '../../dist/notification/notification.module.js';
import { loadSeed } from '../../dist/seed/seed.js';
import { secret, seedOf } from './data.js';

const hosts = { pubsubHost: 'pubsub.googleapis.com', storageHost: 'www.googleapis.com' };

export async function createServices(count) {
  const clock = Date.now;
  const { calendars, events, notifications } = createMemoryStores(clock);
  const readCalendar = createCalendarLoader(calendars);
  const links = { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' };
  const tools = { model: compileModel(eventFields), clock, links, signingSecret: secret };
  await loadSeed(seedOf(count), { calendars, events, notifications, eventTools: tools, hosts });
  const modules = [
    createCalendarModule(createCalendarService({ store: calendars, readCalendar })),
    createEventModule({ store: events, calendars, readCalendar, notifier: { notify: () => undefined }, tools }),
    createNotificationModule({ ...hosts, store: notifications, log: { add: () => undefined, read: async () => [] }, clock, onStored: () => undefined }),
  ];
  const services = Object.assign({}, ...modules.map((module) => module.services));
  const { schema } = createGateway(modules);
  const verify = createTokenVerifier({ secret }, clock);
  /** What resolvers want to know of a request, as little as can be. */
  const contextOf = async (authorization) => {
    const viewer = await verify(authorization);
    let loaders;
    return {
      caller: () => viewer,
      services,
      get loaders() {
        return (loaders ??= Object.assign({}, ...modules.map((module) => module.createLoaders())));
      },
      readQueue: createSerialQueue(),
      budget: new WorkBudget(),
      notes: createNotes(),
    };
  };
  return { schema, services, verify, contextOf };
}
