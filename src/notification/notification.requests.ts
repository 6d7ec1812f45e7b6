import type { BillingArgs } from '../bucket/bucket.requests.ts';
import type { PatchOf } from '../core/fields/table.ts';
import type { NotificationView, ObjectEventType } from './notification.ts';

// Arguments of the notification operations. Null and absent are equal, except in the JSON of an object.

/** Arguments that all operations on a bucket's notifications have. */
export interface ListNotificationsArgs extends BillingArgs {
  readonly bucket: string;
}

export interface GetNotificationArgs extends ListNotificationsArgs {
  readonly notificationId: string;
}

export interface DeleteNotificationArgs extends GetNotificationArgs {
  /** Etag from the REST API; the GraphQL schema lacks it. */
  readonly ifMatch?: string;
}

/** Notification as a client sends it. Read-only fields are ignored, with a warning if they differ. */
export type NotificationBody = PatchOf<Omit<NotificationView, 'kind'>> & { readonly kind?: string | null };

export interface InsertNotificationArgs extends ListNotificationsArgs {
  readonly notification: NotificationBody;
  readonly requestId?: string | null;
  /** Dry run: validates and responds like an insert, but stores nothing. */
  readonly validateOnly?: boolean | null;
}

/** A change of an object, as a client reports it. */
export interface ObjectChangeBody {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string | null;
  /** RFC 3339; defaults to the time of the request. */
  readonly eventTime?: string | null;
  readonly overwroteGeneration?: string | null;
  readonly overwrittenByGeneration?: string | null;
  /** Arbitrary JSON, in which null is a value. */
  readonly object?: Readonly<Record<string, unknown>> | null;
}

export interface PublishObjectChangeArgs {
  readonly bucket: string;
  readonly change: ObjectChangeBody;
  readonly requestId?: string | null;
  /** Dry run: returns the messages that the change would cause, but stores nothing. */
  readonly validateOnly?: boolean | null;
}

export interface FollowMessagesArgs {
  readonly topic: string;
}

export interface ListMessagesArgs extends FollowMessagesArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}
