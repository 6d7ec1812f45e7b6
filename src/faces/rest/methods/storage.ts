import type { MethodRow, Parameters } from '../method.ts';
import { listBuckets, listNotifications, listObjects, readBucket } from '../run/storage.ts';
import {
  bucket,
  ifMatch,
  ifMatchHere,
  inert,
  inertFlags,
  notificationId,
  page,
  requestId,
  userProject,
  validateOnly,
} from './parameters.ts';

const configs = 'b/{bucket}/notificationConfigs';
const body = { schema: 'Bucket', argument: 'bucket' } as const;
const project = {
  project: {
    in: 'query',
    type: 'string',
    required: true,
    description: 'The project of the buckets: its id or its number.',
  },
} as const;
const prefix = {
  prefix: {
    in: 'query',
    type: 'string',
    argument: null,
    description: 'Only those whose name begins with this.',
  },
} as const;
/** Read, and of no effect: the operation knows no paying project. */
const anyProject = inert('userProject', 'projection');
/** Read, and compared with the bucket as it is. */
const metageneration: Parameters = {
  ifMetagenerationMatch: {
    in: 'query',
    type: 'long',
    hidden: true,
    description: 'Only while the bucket has this metageneration.',
  },
  ifMetagenerationNotMatch: {
    in: 'query',
    type: 'long',
    hidden: true,
    description: 'Only while the bucket has another metageneration.',
  },
};
const accessLists = inert('predefinedAcl', 'predefinedDefaultObjectAcl');

export const storageMethods: readonly MethodRow[] = [
  {
    id: 'storage.notifications.list',
    verb: 'GET',
    path: configs,
    operation: 'notifications',
    answer: 'Notifications',
    run: listNotifications,
    description: 'Lists the notifications of a bucket.',
    parameters: { ...bucket, ...userProject },
  },
  {
    id: 'storage.notifications.insert',
    verb: 'POST',
    path: configs,
    operation: 'insertNotification',
    body: { schema: 'Notification', argument: 'notification' },
    answer: 'Notification',
    description: 'Adds a notification to a bucket.',
    parameters: {
      ...bucket,
      ...userProject,
      provisionalUserProject: {
        in: 'query',
        type: 'string',
        description: 'The project that pays where the bucket makes the requester pay.',
      },
      ...validateOnly,
      ...requestId,
    },
  },
  {
    id: 'storage.notifications.get',
    verb: 'GET',
    path: `${configs}/{notification}`,
    operation: 'notification',
    answer: 'Notification',
    description: 'Reads a notification.',
    parameters: { ...notificationId, ...userProject },
  },
  {
    id: 'storage.notifications.delete',
    verb: 'DELETE',
    path: `${configs}/{notification}`,
    operation: 'deleteNotification',
    description: 'Ends a notification.',
    parameters: { ...notificationId, ...userProject, ...ifMatchHere },
  },
  {
    id: 'storage.buckets.list',
    verb: 'GET',
    path: 'b',
    operation: 'buckets',
    answer: 'Buckets',
    run: listBuckets,
    description: 'Lists the buckets of a project that the caller manages.',
    parameters: { ...project, ...prefix, ...page(250, 1000), ...anyProject },
  },
  {
    id: 'storage.buckets.insert',
    verb: 'POST',
    path: 'b',
    operation: 'insertBucket',
    body,
    answer: 'Bucket',
    description: 'Makes a bucket.',
    parameters: { ...project, ...validateOnly, ...requestId, ...anyProject, ...accessLists },
  },
  {
    id: 'storage.buckets.get',
    verb: 'GET',
    path: 'b/{bucket}',
    operation: 'bucket',
    answer: 'Bucket',
    run: readBucket,
    description: 'Reads a bucket.',
    parameters: { ...bucket, ...userProject, ...metageneration, ...inert('projection') },
  },
  {
    id: 'storage.buckets.patch',
    verb: 'PATCH',
    path: 'b/{bucket}',
    operation: 'patchBucket',
    body: { schema: 'Bucket', argument: 'change', nullClears: true },
    answer: 'Bucket',
    description: 'Changes parts of a bucket.',
    parameters: { ...bucket, ...validateOnly, ...metageneration, ...anyProject, ...accessLists, ...ifMatch },
  },
  {
    id: 'storage.buckets.delete',
    verb: 'DELETE',
    path: 'b/{bucket}',
    operation: 'deleteBucket',
    description: 'Deletes a bucket, and ends its notifications.',
    parameters: { ...bucket, ...metageneration, ...anyProject, ...ifMatch },
  },
  {
    id: 'storage.objects.list',
    verb: 'GET',
    path: 'b/{bucket}/o',
    operation: 'bucket',
    answer: 'Objects',
    run: listObjects,
    description: 'Lists the objects of a bucket: none are kept here.',
    parameters: {
      ...bucket,
      ...page(250, 1000),
      ...inert('prefix', 'delimiter', 'startOffset', 'endOffset', 'projection'),
      ...inertFlags('versions', 'includeTrailingDelimiter'),
      ...userProject,
    },
  },
];
