// Services, schema and token check of the gateway, for the servers of the comparison.
import { createTokenVerifier } from '../../dist/access/token.js';
import { createMemoryStores } from '../../dist/adapters/memory/stores.js';
import { createBucketModule } from '../../dist/bucket/bucket.module.js';
import { createBucketService } from '../../dist/bucket/bucket.service.js';
import { createCalendarLoader } from '../../dist/calendar/calendar.store.js';
import { createCalendarModule } from '../../dist/calendar/calendar.module.js';
import { createCalendarService } from '../../dist/calendar/calendar.service.js';
import { createChannelModule } from '../../dist/channel/channel.module.js';
import { disabledChannelService } from '../../dist/channel/channel.service.js';
import { WorkBudget } from '../../dist/core/runtime/limits.js';
import { createSerialQueue } from '../../dist/core/runtime/event-loop.js';
import { createEventModule } from '../../dist/event/event.module.js';
import { createEventService } from '../../dist/event/event.service.js';
import { eventFields } from '../../dist/event/model/fields.js';
import { compileModel } from '../../dist/event/model/model.js';
import { WriteReports } from '../../dist/faces/graphql/context.js';
import { createGatewaySchema } from '../../dist/faces/graphql/schema.js';
import { createNotificationModule } from '../../dist/notification/notification.module.js';
import { createNotificationService } from '../../dist/notification/notification.service.js';
import { createPublishingService } from '../../dist/notification/publishing/publishing.service.js';
import { loadSeed } from '../../dist/seed/import.js';
import { secret, createSeed } from './data.js';

const apiHosts = { pubsubHost: 'pubsub.googleapis.com', storageHost: 'www.googleapis.com' };

/** Creates services over a store in memory with `count` events, and what servers need to call them. */
export async function createServices(count) {
  const clock = Date.now;
  const { calendars, events, buckets, notifications, messages } = createMemoryStores(clock);
  const readCalendar = createCalendarLoader(calendars);
  const links = { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' };
  const eventTools = { model: compileModel(eventFields), clock, links, signingSecret: secret };
  await loadSeed(createSeed(count), {
    calendars,
    events,
    buckets,
    notifications,
    eventTools,
    hosts: apiHosts,
  });
  const dependencies = {
    ...apiHosts,
    buckets,
    store: notifications,
    log: messages,
    clock,
    onStored: () => undefined,
  };
  const services = {
    events: createEventService({
      store: events,
      calendars,
      readCalendar,
      notifier: { notify: () => undefined },
      tools: eventTools,
    }),
    notifications: createNotificationService(dependencies),
  };
  const modules = [
    createCalendarModule(
      createCalendarService({
        store: calendars,
        readCalendar,
        clock,
        idHost: 'calendar.example.com',
        timeZone: 'UTC',
        createsPrimaries: false,
        beginJob: async () => undefined,
      }),
    ),
    createBucketModule(createBucketService(dependencies)),
    createEventModule(services.events, eventTools.model),
    createNotificationModule({ ...services, publishing: createPublishingService(dependencies) }),
    createChannelModule(disabledChannelService),
  ];
  const { schema } = createGatewaySchema(Object.assign({}, ...modules.map(({ operations }) => operations)));
  const verify = createTokenVerifier({ secret }, clock);
  /** Creates the minimal context that resolvers need. */
  const createContext = (viewer) => ({
    caller: () => viewer,
    readQueue: createSerialQueue(),
    budget: new WorkBudget(),
    writeReports: new WriteReports(),
    variableWarnings: [],
    admittedRequest: { operation: { edges: undefined, fields: [] } },
  });
  /** Verifies an Authorization header, and creates the context of its caller. */
  const authenticate = async (authorization) => createContext(await verify(authorization));
  return { schema, services, verify, authenticate, createContext };
}
