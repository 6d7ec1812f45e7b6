import { includesRole, type Viewer } from '../access/permissions.ts';
import { resolveCalendarRef, openCalendar, requireAllowed } from '../calendar/calendar.access.ts';
import { AppError, errorAt, type Issue, requireValid, type Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { CalendarState, EventStore } from '../event/event.store.ts';
import {
  type ChannelBody,
  channelIssues,
  expirationCutMessage,
  limits,
  readExpirations,
  type RequestedExpiration,
  type StopChannelArgs,
  type WatchCalendarArgs,
  warnIgnored,
} from './channel.requests.ts';
import { channelViewOf, type ChannelView, resourceIdOf } from './channel.view.ts';
import type { ChannelChange, ChannelRecord, ChannelStore } from './channel.store.ts';

export interface WatchResult {
  readonly channel: ChannelView;
  readonly warnings: readonly Warning[];
  /** True if the channel existed before. */
  readonly unchanged: boolean;
}

export interface ChannelService {
  /** Lists the issues of a channel alone. `watchCalendar` reports the same. */
  issuesOf(channel: Partial<ChannelBody>): readonly Issue[];
  readonly watchCalendar: (viewer: Viewer, args: WatchCalendarArgs) => Promise<WatchResult>;
  readonly stopChannel: (viewer: Viewer, args: StopChannelArgs) => Promise<boolean>;
}

interface ChannelServiceDependencies {
  readonly store: ChannelStore;
  readonly events: Pick<EventStore, 'calendarStates' | 'safeRevision'>;
  readonly clock: Clock;
  /** Origin of `resourceUri`. */
  readonly origin: string;
  readonly isAllowedAddress: (address: string) => boolean;
  /** Called after a channel was stored. */
  readonly onWatched: () => void;
}

/** Creates and stops channels on behalf of a viewer. Throws AppError with all issues at once. */
export function createChannelService({
  store,
  events,
  clock,
  origin,
  isAllowedAddress,
  onWatched,
}: ChannelServiceDependencies): ChannelService {
  const issuesOf = (channel: Partial<ChannelBody>) => channelIssues(channel, isAllowedAddress);

  /** Decides on a valid request. `revision`: that of the calendar, from which on changes are announced. */
  function decideWatch(
    viewer: Viewer,
    body: ChannelBody,
    { calendarId, revision }: { readonly calendarId: string; readonly revision: string },
    ownChannels: readonly ChannelRecord[],
  ): ChannelChange<WatchResult> {
    const { id, address } = body;
    const token = body.token ?? undefined;
    const existingChannel = ownChannels.find((channel) => channel.id === id);
    if (existingChannel) {
      if (
        existingChannel.calendarId !== calendarId ||
        existingChannel.address !== address ||
        existingChannel.token !== token
      )
        throw errorAt('CONFLICT', ['channel', 'id'], 'duplicate', idTakenMessage);
      return { result: resultOf(body, existingChannel, /* unchanged */ true) };
    }
    const now = clock();
    const [requestedExpiration] = readExpirations(body, now);
    const { timeMs = now + limits.defaultLifetimeMs, path = [] } = requestedExpiration ?? {};
    requireValid([
      ...(timeMs <= now ? [pastIssue(path)] : []),
      ...channelCountIssues(ownChannels, calendarId),
    ]);
    const channel: ChannelRecord = {
      identity: viewer.identity,
      id,
      calendarId,
      address,
      ...(token !== undefined && { token }),
      expiration: Math.min(timeMs, now + limits.maxLifetimeMs),
    };
    const result = resultOf(body, channel, /* unchanged */ false, requestedExpiration);
    return { insert: { channel, revision }, result };
  }

  /** Composes the result, with a warning for each value that has no effect. */
  function resultOf(
    body: ChannelBody,
    record: ChannelRecord,
    unchanged: boolean,
    requestedExpiration?: RequestedExpiration,
  ): WatchResult {
    const report = new Report();
    const channel = channelViewOf(record, origin);
    warnIgnored(body, channel, report);
    if (requestedExpiration && requestedExpiration.timeMs > record.expiration)
      report.warn(requestedExpiration.path, 'normalized', expirationCutMessage);
    return { channel, warnings: report.warnings, unchanged };
  }

  return {
    issuesOf,

    async watchCalendar(viewer, args) {
      const ref = resolveCalendarRef(args.calendarId, viewer);
      const [state] = await events.calendarStates([ref]);
      const { calendar, role } = openCalendar(state?.calendar, ref, viewer, 'freeBusyReader');
      requireAllowed(includesRole(role, 'reader') ? [] : [readerIssue], issuesOf(args.channel));
      const calendarId = calendar.id;
      // Changes that the receiver may not see yet when it lists the calendar are announced later.
      const { revision: latestRevision } = state as CalendarState;
      const revision = await events.safeRevision(calendarId, latestRevision, undefined);
      const result = await store.changeChannels(viewer.identity, (ownedChannels) =>
        decideWatch(viewer, args.channel, { calendarId, revision }, ownedChannels),
      );
      onWatched();
      return result;
    },

    stopChannel: (viewer, { id, resourceId }) =>
      store.changeChannels(viewer.identity, (callerChannels) => {
        const channel = callerChannels.find(
          (entry) => entry.id === id && resourceIdOf(entry.calendarId) === resourceId,
        );
        if (!channel) throw errorAt('NOT_FOUND', ['id'], 'notFound', noChannelMessage);
        return { remove: channel, result: true };
      }),
  };
}

const idTakenMessage =
  'You have a channel with this id that differs in calendar, address or token. Stop that one, or choose another id.';
const noChannelMessage = 'You have no channel with this id and resourceId.';

const readerIssue: Issue = {
  path: ['calendarId'],
  reason: 'forbidden',
  message: 'You may see when this calendar is busy, but not watch its events.',
};

const pastIssue = (path: Issue['path']): Issue => ({
  path,
  reason: 'invalid',
  message: 'The expiration has passed. Leave it out for seven days, or choose a later time.',
});

/** Issues of a caller who has as many channels as allowed. */
function channelCountIssues(channelsOfCaller: readonly ChannelRecord[], calendarId: string): Issue[] {
  const { maxPerCaller, maxPerCalendar } = limits;
  const calendarCount = channelsOfCaller.filter((channel) => channel.calendarId === calendarId).length;
  const counts = [
    { path: ['channel'], subject: 'A caller has', max: maxPerCaller, actual: channelsOfCaller.length },
    {
      path: ['calendarId'],
      subject: 'A caller has on one calendar',
      max: maxPerCalendar,
      actual: calendarCount,
    },
  ];
  return counts
    .filter(({ max, actual }) => actual >= max)
    .map(({ path, subject, max, actual }) => ({
      path,
      reason: 'tooMany',
      message: `${subject} at most ${max} channels; you have ${actual}. Stop one that is not needed.`,
      params: { max, actual },
    }));
}

/** Service of a gateway that offers no channels. */
export const disabledChannelService: ChannelService = {
  issuesOf: () => [],
  watchCalendar: () => Promise.reject(channelsOffError()),
  stopChannel: () => Promise.reject(channelsOffError()),
};

const channelsOffError = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'notOffered',
    'This gateway does not offer channels. Follow the calendar with calendarChanged instead.',
  );
