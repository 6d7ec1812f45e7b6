import { methodRows, type Parameters } from '../method.ts';
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
  project: { required: true, description: 'The project of the buckets: its id or its number.' },
};
const prefix = { prefix: { argument: null, description: 'Only those whose name begins with this.' } };
/** Read, and of no effect: the operation knows no paying project. */
const anyProject = inert('userProject', 'projection');
/** Read, and compared with the bucket as it is. */
const metageneration: Parameters = {
  ifMetagenerationMatch: {
    type: 'long',
    hidden: true,
    description: 'Only while the bucket has this metageneration.',
  },
  ifMetagenerationNotMatch: {
    type: 'long',
    hidden: true,
    description: 'Only while the bucket has another metageneration.',
  },
};
const accessLists = inert('predefinedAcl', 'predefinedDefaultObjectAcl');

export const storageMethods = methodRows({
  'storage.notifications.list': {
    route: `GET ${configs}`,
    operation: 'notifications',
    answer: 'Notifications',
    run: listNotifications,
    description: 'Lists the notifications of a bucket.',
    parameters: { ...bucket, ...userProject },
  },
  'storage.notifications.insert': {
    route: `POST ${configs}`,
    operation: 'insertNotification',
    body: { schema: 'Notification', argument: 'notification' },
    answer: 'Notification',
    description: 'Adds a notification to a bucket.',
    parameters: {
      ...bucket,
      ...userProject,
      provisionalUserProject: {
        description: 'The project that pays where the bucket makes the requester pay.',
      },
      ...validateOnly,
      ...requestId,
    },
  },
  'storage.notifications.get': {
    route: `GET ${configs}/{notification}`,
    operation: 'notification',
    answer: 'Notification',
    description: 'Reads a notification.',
    parameters: { ...notificationId, ...userProject },
  },
  'storage.notifications.delete': {
    route: `DELETE ${configs}/{notification}`,
    operation: 'deleteNotification',
    description: 'Ends a notification.',
    parameters: { ...notificationId, ...userProject, ...ifMatchHere },
  },
  'storage.buckets.list': {
    route: 'GET b',
    operation: 'buckets',
    answer: 'Buckets',
    run: listBuckets,
    description: 'Lists the buckets of a project that the caller manages.',
    parameters: { ...project, ...prefix, ...page(250, 1000), ...anyProject },
  },
  'storage.buckets.insert': {
    route: 'POST b',
    operation: 'insertBucket',
    body,
    answer: 'Bucket',
    description: 'Makes a bucket.',
    parameters: { ...project, ...validateOnly, ...requestId, ...anyProject, ...accessLists },
  },
  'storage.buckets.get': {
    route: 'GET b/{bucket}',
    operation: 'bucket',
    answer: 'Bucket',
    run: readBucket,
    description: 'Reads a bucket.',
    parameters: { ...bucket, ...userProject, ...metageneration, ...inert('projection') },
  },
  'storage.buckets.patch': {
    route: 'PATCH b/{bucket}',
    operation: 'patchBucket',
    body: { schema: 'Bucket', argument: 'change', nullClears: true },
    answer: 'Bucket',
    description: 'Changes parts of a bucket.',
    parameters: { ...bucket, ...validateOnly, ...metageneration, ...anyProject, ...accessLists, ...ifMatch },
  },
  'storage.buckets.delete': {
    route: 'DELETE b/{bucket}',
    operation: 'deleteBucket',
    description: 'Deletes a bucket, and ends its notifications.',
    parameters: { ...bucket, ...metageneration, ...anyProject, ...ifMatch },
  },
  'storage.objects.list': {
    route: 'GET b/{bucket}/o',
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
});
