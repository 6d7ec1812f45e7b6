import type { Viewer } from '../access/permissions.ts';
import type { AppError, Warning } from '../core/errors.ts';
import type { EventReader, EventService } from '../event/event.service.ts';
import type { NotificationReader, NotificationService } from '../notification/notification.service.ts';
import type { PublishingService } from '../notification/publishing.service.ts';
import type { RequestReport } from './report.ts';

export interface Services {
  readonly events: EventService;
  readonly notifications: NotificationService;
  readonly publishing: PublishingService;
}

/** Reads of one request, gathered and remembered. */
export interface Loaders {
  readonly events: EventReader;
  readonly notifications: NotificationReader;
}

/** Writes what the operators need to know; never sent to a client. */
export interface Log {
  error(details: object, message: string): void;
}

/** What resolvers know of the request they work for. */
export interface GatewayContext {
  readonly requestId: string;
  /** Absent for a caller without a token; root fields that need one are refused before they run. */
  readonly viewer: Viewer | undefined;
  /** The viewer, for fields that need one. */
  readonly caller: () => Viewer;
  /** The network address of the caller, for rate limits of callers without a token. */
  readonly address: string;
  readonly services: Services;
  readonly loaders: Loaders;
  readonly log: Log;
  /** What operators learn of the request. */
  readonly report: RequestReport;
  /** What becomes the response's `extensions`. */
  readonly notes: {
    readonly warnings: Warning[];
    guestsNotified?: number;
    /** Why the caller may not run the operation. */
    refusal?: AppError;
  };
}
