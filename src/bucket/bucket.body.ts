import { isCaller, type Viewer } from '../access/permissions.ts';
import { changeByBody, issuesOfBody, type BodyChange } from '../core/fields/reduce-change.ts';
import type { Issue, Path } from '../core/errors.ts';
import type { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { bucketTable, limits, type BucketFields } from './bucket.fields.ts';
import type { BucketBody } from './bucket.requests.ts';
import type { BucketView } from './bucket.view.ts';

/** Validates a body without loading the bucket. */
export const bucketBodyIssues = (argument: string, body: BucketBody | undefined): Issue[] => [
  ...issuesOfBody(bucketTable, body, [argument]),
  ...managerIssues(body?.managers, [argument]),
];

/** Builds the fields of a new bucket. The caller becomes its manager unless the body names managers. */
export function buildBucketFields(
  body: BucketBody,
  viewer: Viewer,
  report: Report,
): BodyChange<BucketFields> {
  const argument = 'bucket';
  const { next, warnIgnored } = changeByBody<BucketFields>(bucketTable, {
    argument,
    body,
    visibleResource: {},
    before: {},
    isCreating: true,
    report,
  });
  if (next.name === undefined)
    report.addIssue([argument, 'name'], 'required', 'A bucket needs a name. Choose one that is not taken.');
  const { managers } = next;
  report.addIssues(managerIssues(managers, [argument]));
  if (managers && managers.length > 0 && !managers.some((name) => isCaller(name, viewer))) {
    report.addIssue(
      [argument, 'managers'],
      'invalid',
      'The creator of a bucket is one of its managers. Add your own address, or leave managers out.',
    );
  }
  return { next: { ...next, managers: managers ?? [viewer.identity] }, warnIgnored };
}

/** Applies a body to a bucket. `next` is the same object if nothing changes. */
export function patchBucketFields(
  body: BucketBody,
  view: BucketView,
  fieldsBefore: BucketFields,
  report: Report,
): BodyChange<BucketFields> {
  const argument = 'change';
  // Addresses are compared without case: known managers keep their stored spelling.
  const storedSpellingByKey = new Map(
    (fieldsBefore.managers ?? []).map((address) => [addressKey(address), address]),
  );
  const managers = body.managers?.map((address) => storedSpellingByKey.get(addressKey(address)) ?? address);
  const change = changeByBody<BucketFields>(bucketTable, {
    argument,
    body: { ...body, ...(managers && { managers }) },
    visibleResource: view,
    before: fieldsBefore,
    isCreating: false,
    report,
  });
  if (change.next.managers !== fieldsBefore.managers)
    report.addIssues(managerIssues(change.next.managers ?? [], [argument]));
  return change;
}

/** Requires at least one manager, and each address only once. */
function managerIssues(managers: unknown, path: Path): Issue[] {
  // Lists that are too long are reported elsewhere.
  if (!Array.isArray(managers) || managers.length > limits.maxManagers) return [];
  const managersPath = [...path, 'managers'];
  if (managers.length === 0) {
    const message = `A bucket has 1 to ${limits.maxManagers} managers. Name one, or leave managers out.`;
    return [{ path: managersPath, reason: 'required', message }];
  }
  const firstIndexByKey = new Map<string, number>();
  return managers.flatMap((address: unknown, index): Issue[] => {
    if (typeof address !== 'string') return [];
    const key = addressKey(address);
    const firstIndex = firstIndexByKey.get(key);
    if (firstIndex === undefined) {
      firstIndexByKey.set(key, index);
      return [];
    }
    const message = `This manager is listed at index ${firstIndex} already (upper and lower case are the same). List each address once.`;
    return [{ path: [...managersPath, index], reason: 'invalid', message, params: { index: firstIndex } }];
  });
}
