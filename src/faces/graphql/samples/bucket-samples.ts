import { noVariables, type Sample } from './sample.ts';

export const bucketSamples: readonly Sample[] = [
  {
    document: `query Buckets {
  buckets(project: "demo-project") {
    nodes {
      name metageneration managers
      billing { requesterPays }
    }
  }
}`,
    variables: noVariables,
  },
  {
    document: `query Bucket {
  bucket(
    bucket: "demo-archive"
    userProject: "demo-project"
  ) {
    nodeId name project etag
    selfLink timeCreated updated
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation InsertBucket($newBucket: BucketInput!) {
  insertBucket(
    project: "demo-project"
    bucket: $newBucket
  ) {
    name etag metageneration managers
  }
}`,
    variables: { newBucket: { name: 'demo-holidays' } },
  },
  {
    document: `mutation PatchBucket($bucket: BucketInput!) {
  patchBucket(
    bucket: "demo-photos"
    change: $bucket
  ) {
    name etag metageneration updated managers
  }
}`,
    variables: { bucket: { managers: ['alice@example.com', 'bob@example.com'] } },
  },
  {
    document: `mutation DeleteBucket {
  deleteBucket(bucket: "demo-drafts")
}`,
    variables: noVariables,
  },
];
