import type { Viewer } from '../access/permissions.ts';
import { invalidInput, type Issue } from '../core/kernel/errors.ts';
import { isProject, projectForm } from '../core/text/project.ts';
import { manages, noBucket } from './bucket.access.ts';
import type { BucketRecord } from './bucket.store.ts';

/** The projects that a request may be billed to. */
export interface BillingArgs {
  readonly userProject?: string | null;
  readonly provisionalUserProject?: string | null;
}

/** Validates the projects that a request to a bucket is billed to. */
export function billingIssues(
  bucket: Pick<BucketRecord, 'requesterPays'>,
  { userProject, provisionalUserProject }: BillingArgs,
): Issue[] {
  if (bucket.requesterPays && !userProject && !provisionalUserProject) {
    const message =
      'This is a requester-pays bucket: userProject is required, the project the request is billed to.';
    return [{ path: ['userProject'], reason: 'required', message }];
  }
  return (
    Object.entries({ userProject, provisionalUserProject })
      // Of a requester-pays bucket an empty project counts as absent: the other one pays.
      .flatMap(([name, project]) =>
        typeof project === 'string' && !(project === '' && bucket.requesterPays)
          ? projectIssues(name, project)
          : [],
      )
  );
}

/** Validates an argument that is a project. */
export const projectIssues = (argument: string, project: string): Issue[] =>
  isProject(project)
    ? []
    : [{ path: [argument], reason: 'invalid', message: `${argument} must be ${projectForm}.` }];

/** The bucket, for a caller who may manage it and a request that can be billed; throws otherwise. */
export function openBucket(
  viewer: Viewer,
  args: BillingArgs,
  bucket: BucketRecord | undefined,
): BucketRecord {
  if (!bucket || !manages(bucket, viewer)) throw noBucket();
  const issues = billingIssues(bucket, args);
  if (issues.length > 0) throw invalidInput(issues);
  return bucket;
}
