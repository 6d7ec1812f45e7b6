/** What an explorer shows first: a change that works on the demo data, and one more operation to try. */
export const sampleOperation = {
  document: `# Runs on the demo data with the token that is filled in under Headers.
mutation PatchEvent($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) {
    id
    summary
    start {
      dateTime
      timeZone
    }
    attendees {
      email
      responseStatus
    }
    etag
    updated
  }
}

mutation InsertNotification {
  insertNotification(
    bucket: "demo-photos"
    notification: {
      topic: "projects/demo-project/topics/new-photos"
      event_types: [OBJECT_FINALIZE]
      object_name_prefix: "2026/"
    }
  ) {
    id
    topic
    selfLink
  }
}
`,
  variables: { event: { summary: 'Team meeting, moved to the large room', location: 'Room 5' } },
} as const;
