import type { BillingArgs } from '../bucket/bucket.requests.ts';
import type { ObjectEventType, PayloadFormat } from './notification.ts';

// The arguments of the services' operations. Callers may tell null and absent apart; here both mean "not given", save in the JSON of an object.

export interface ListNotificationsArgs extends BillingArgs {
  readonly bucket: string;
}

export interface GetNotificationArgs extends ListNotificationsArgs {
  readonly notificationId: string;
}

export interface DeleteNotificationArgs extends GetNotificationArgs {
  /** The etag that the caller has seen. Of faces that know such a request; the schema does not. */
  readonly ifMatch?: string;
}

/** The fields of a new notification. Those that the server sets are ignored, with a warning where they differ. */
export interface NotificationBody {
  readonly nodeId?: string | null;
  readonly id?: string | null;
  readonly kind?: string | null;
  readonly etag?: string | null;
  readonly selfLink?: string | null;
  readonly topic?: string | null;
  readonly event_types?: readonly ObjectEventType[] | null;
  readonly object_name_prefix?: string | null;
  readonly payload_format?: PayloadFormat | null;
  readonly custom_attributes?: Readonly<Record<string, string | null>> | null;
}

export interface InsertNotificationArgs extends ListNotificationsArgs {
  readonly notification: NotificationBody;
  readonly requestId?: string | null;
  /** Validates and answers as an insert would, and stores nothing. */
  readonly validateOnly?: boolean | null;
}

/** A change of an object, as a client reports it. */
export interface ObjectChangeBody {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string | null;
  /** RFC 3339; the time of the request unless given. */
  readonly eventTime?: string | null;
  readonly overwroteGeneration?: string | null;
  readonly overwrittenByGeneration?: string | null;
  /** JSON of any form, in which null is a value. */
  readonly object?: Readonly<Record<string, unknown>> | null;
}

export interface PublishObjectChangeArgs {
  readonly bucket: string;
  readonly change: ObjectChangeBody;
  readonly requestId?: string | null;
  /** Answers with the messages that the change would cause, and stores nothing. */
  readonly validateOnly?: boolean | null;
}

export interface FollowMessagesArgs {
  readonly topic: string;
}

export interface ListMessagesArgs extends FollowMessagesArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}
