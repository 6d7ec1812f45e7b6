import { billingIssues } from '../../bucket/bucket.billing.ts';
import type { Selected } from '../../core/fields/selection.ts';
import { sameJson } from '../../core/kernel/plain-data.ts';
import { invalidInput } from '../../core/kernel/errors.ts';
import { requestIdIssues, requestRecord } from '../../core/kernel/request-record.ts';
import { bodyWarnings, countIssues, notificationIssues } from '../../notification/notification.checks.ts';
import { newNotification } from '../../notification/notification.create.ts';
import { serverFields } from '../../notification/notification.fields.ts';
import type { InsertNotificationArgs } from '../../notification/notification.requests.ts';
import type { InsertedNotification } from '../../notification/notification.service.ts';
import { viewOfNotification, type NotificationRecord } from '../../notification/notification.ts';
import { ServiceRefusal } from '../client/call.ts';
import { isUnknown, storageFault } from './faults.ts';
import type { Asking, NotificationCalls } from './notification-calls.ts';
import { notificationTexts } from './notification-form.ts';
import { createRequestOutcomes } from '../request-outcomes.ts';
import type { UpstreamStorageParts } from './service-parts.ts';

interface Insert extends Asking {
  readonly args: InsertNotificationArgs;
  readonly selected?: Selected | undefined;
}

export function createNotificationInsert(
  { clock, ...hosts }: UpstreamStorageParts,
  calls: NotificationCalls,
) {
  const outcomes = createRequestOutcomes<InsertedNotification>(clock, isUnknown);

  return async function insertNotification(insert: Insert): Promise<InsertedNotification> {
    const { viewer, args } = insert;
    const record = requestRecord('insertNotification', viewer, args, clock);
    const earlier = record && outcomes.earlier(record);
    if (earlier) return earlier;
    const issues = [
      ...billingIssues({ requesterPays: false }, args),
      ...requestIdIssues(args.requestId),
      ...notificationIssues(args.notification),
    ];
    if (issues.length > 0) throw invalidInput(issues);
    if (args.validateOnly) return dryRun(insert);
    if (!record) return carryOut(insert, false);
    // Whoever comes with the same id may select something else.
    return outcomes.run(record, args, (again) => carryOut({ ...insert, selected: undefined }, again));
  };

  async function dryRun(insert: Insert): Promise<InsertedNotification> {
    const {
      args: { bucket, notification },
    } = insert;
    const existing = await present(insert).catch((error: unknown) => {
      throw storageFault(error, 'bucket');
    });
    const issues = countIssues(notification, existing);
    if (issues.length > 0) throw invalidInput(issues);
    const nextId = String((Number(existing.at(-1)?.id) || 0) + 1);
    return answered(insert, newNotification(bucket, nextId, notification, hosts));
  }

  /** `again`: an earlier request with the same id may have been carried out. */
  async function carryOut(insert: Insert, again: boolean): Promise<InsertedNotification> {
    const { args, selected } = insert;
    const sent = sentOf(newNotification('', '', args.notification, hosts));
    try {
      const made = again ? await newest(insert, sent) : undefined;
      if (made) return answered(insert, made);
      const ignored = serverFields.filter((name) => typeof args.notification[name] === 'string');
      return answered(
        insert,
        await calls.insert(insert, args, sent, notificationTexts(selected?.(), ['topic', ...ignored])),
      );
    } catch (error) {
      const made = isUnknown(error) ? await newest(insert, sent).catch(() => undefined) : undefined;
      if (made) return answered(insert, made);
      throw await refused(insert, error);
    }
  }

  function present(insert: Insert): Promise<NotificationRecord[]> {
    return calls.list(insert, insert.args, undefined);
  }

  /** The newest notification of the bucket, where it is what was sent. */
  async function newest(insert: Insert, sent: object): Promise<NotificationRecord | undefined> {
    const found = (await present(insert)).at(-1);
    return found && sameJson(withoutEmpty(sentOf(found)), withoutEmpty(sent)) ? found : undefined;
  }

  /** Limits are told as the own store tells them. */
  async function refused(insert: Insert, error: unknown): Promise<unknown> {
    if (error instanceof ServiceRefusal && error.status === 400 && error.reason !== 'required') {
      const issues = countIssues(insert.args.notification, await present(insert).catch(() => []));
      if (issues.length > 0) return invalidInput(issues);
    }
    return storageFault(error, 'notification');
  }
}

const answered = ({ args }: Insert, made: NotificationRecord): InsertedNotification => ({
  notification: viewOfNotification(made),
  // The other notifications are not read.
  warnings: bodyWarnings(args.notification, made, []),
});

/** What callers set of a notification, as it is sent. */
function sentOf({
  topic,
  event_types,
  object_name_prefix,
  payload_format,
  custom_attributes,
}: NotificationRecord): object {
  return Object.fromEntries(
    Object.entries({ topic, event_types, object_name_prefix, payload_format, custom_attributes }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** What is empty may be left out. */
const withoutEmpty = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value as object).length > 0));
