import { toMethodRows, type Parameters } from '../method.ts';
import { listBuckets, listNotifications, listObjects, readBucket } from '../run/storage.ts';
import {
  bucket,
  ifMatch,
  internalIfMatch,
  ignoredTexts,
  ignoredFlags,
  notificationId,
  pageParameters,
  requestId,
  userProject,
  validateOnly,
} from './parameters.ts';

const notificationConfigsPath = 'b/{bucket}/notificationConfigs';
const bucketBody = { schema: 'Bucket', argument: 'bucket' } as const;
const project = {
  project: { required: true, description: 'The project of the buckets: its id or its number.' },
};
const prefix = { prefix: { argument: null, description: 'Only those whose name begins with this.' } };
/** Ignored parameters of operations without a paying project. */
const ignoredProjectParameters = ignoredTexts('userProject', 'projection');
/** Preconditions on the current metageneration of the bucket. */
const metageneration: Parameters = {
  ifMetagenerationMatch: {
    type: 'long',
    isInternal: true,
    description: 'Only while the bucket has this metageneration.',
  },
  ifMetagenerationNotMatch: {
    type: 'long',
    isInternal: true,
    description: 'Only while the bucket has another metageneration.',
  },
};
const ignoredAcls = ignoredTexts('predefinedAcl', 'predefinedDefaultObjectAcl');

export const storageMethods = toMethodRows({
  'storage.notifications.list': {
    route: `GET ${notificationConfigsPath}`,
    operation: 'notifications',
    responseSchema: 'Notifications',
    run: listNotifications,
    description: 'Lists the notifications of a bucket.',
    parameters: { ...bucket, ...userProject },
  },
  'storage.notifications.insert': {
    route: `POST ${notificationConfigsPath}`,
    operation: 'insertNotification',
    body: { schema: 'Notification', argument: 'notification' },
    responseSchema: 'Notification',
    description: 'Adds a notification to a bucket.',
    parameters: {
      ...bucket,
      ...userProject,
      provisionalUserProject: {
        description: 'The project that pays for a requester-pays bucket.',
      },
      ...validateOnly,
      ...requestId,
    },
  },
  'storage.notifications.get': {
    route: `GET ${notificationConfigsPath}/{notification}`,
    operation: 'notification',
    responseSchema: 'Notification',
    description: 'Reads a notification.',
    parameters: { ...notificationId, ...userProject },
  },
  'storage.notifications.delete': {
    route: `DELETE ${notificationConfigsPath}/{notification}`,
    operation: 'deleteNotification',
    description: 'Ends a notification.',
    parameters: { ...notificationId, ...userProject, ...internalIfMatch },
  },
  'storage.buckets.list': {
    route: 'GET b',
    operation: 'buckets',
    responseSchema: 'Buckets',
    run: listBuckets,
    description: 'Lists the buckets of a project that the caller manages.',
    parameters: { ...project, ...prefix, ...pageParameters(250, 1000), ...ignoredProjectParameters },
  },
  'storage.buckets.insert': {
    route: 'POST b',
    operation: 'insertBucket',
    body: bucketBody,
    responseSchema: 'Bucket',
    description: 'Creates a bucket.',
    parameters: { ...project, ...validateOnly, ...requestId, ...ignoredProjectParameters, ...ignoredAcls },
  },
  'storage.buckets.get': {
    route: 'GET b/{bucket}',
    operation: 'bucket',
    responseSchema: 'Bucket',
    run: readBucket,
    description: 'Reads a bucket.',
    parameters: { ...bucket, ...userProject, ...metageneration, ...ignoredTexts('projection') },
  },
  'storage.buckets.patch': {
    route: 'PATCH b/{bucket}',
    operation: 'patchBucket',
    body: { schema: 'Bucket', argument: 'change', nullClears: true },
    responseSchema: 'Bucket',
    description: 'Changes fields of a bucket.',
    parameters: {
      ...bucket,
      ...validateOnly,
      ...metageneration,
      ...ignoredProjectParameters,
      ...ignoredAcls,
      ...ifMatch,
    },
  },
  'storage.buckets.delete': {
    route: 'DELETE b/{bucket}',
    operation: 'deleteBucket',
    description: 'Deletes a bucket, and ends its notifications.',
    parameters: { ...bucket, ...metageneration, ...ignoredProjectParameters, ...ifMatch },
  },
  'storage.objects.list': {
    route: 'GET b/{bucket}/o',
    operation: 'bucket',
    responseSchema: 'Objects',
    run: listObjects,
    description: 'Lists the objects of a bucket: always empty.',
    parameters: {
      ...bucket,
      ...pageParameters(250, 1000),
      ...ignoredTexts('prefix', 'delimiter', 'startOffset', 'endOffset', 'projection'),
      ...ignoredFlags('versions', 'includeTrailingDelimiter'),
      ...userProject,
    },
  },
});
