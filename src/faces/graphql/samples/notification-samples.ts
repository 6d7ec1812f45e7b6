import { noVariables, type Sample } from './sample.ts';

/** Operations on the notification subscriptions of buckets, and on what these publish. */
export const notificationSamples: readonly Sample[] = [
  {
    document: `mutation InsertNotification($notification: NotificationInput!) {
  insertNotification(
    bucket: "demo-photos"
    notification: $notification
  ) {
    id topic event_types etag selfLink
  }
}`,
    variables: {
      notification: {
        topic: 'projects/demo-project/topics/new-photos',
        event_types: ['OBJECT_FINALIZE'],
        custom_attributes: { team: 'photos' },
        object_name_prefix: 'holidays/',
      },
    },
  },
  {
    document: `query Notifications {
  notifications(bucket: "demo-photos") {
    nodeId id topic event_types
    custom_attributes object_name_prefix
    payload_format
  }
}`,
    variables: noVariables,
  },
  {
    document: `query Notification {
  notification(
    bucket: "demo-photos"
    notificationId: "1"
  ) {
    id topic etag selfLink
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation PublishObjectChange($change: ObjectChangeInput!) {
  publishObjectChange(
    bucket: "demo-photos"
    change: $change
  ) {
    messages {
      messageId notificationId topic
      attributes data state
    }
  }
}`,
    variables: {
      change: {
        eventType: 'OBJECT_FINALIZE',
        objectId: 'albums/cat.jpg',
        object: { size: '31415', contentType: 'image/jpeg' },
      },
    },
  },
  {
    document: `query Messages {
  messages(
    topic: "projects/demo-project/topics/photos"
  ) {
    nodes { messageId state attributes data }
  }
}`,
    variables: noVariables,
  },
  {
    document: `subscription MessagePublished {
  messagePublished(
    topic: "projects/demo-project/topics/photos"
  ) {
    messageId attributes data
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation DeleteNotification {
  deleteNotification(
    bucket: "demo-archive"
    userProject: "demo-project"
    notificationId: "1"
  )
}`,
    variables: noVariables,
  },
];
