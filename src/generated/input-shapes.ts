/** The fields of each input type and their types, as the SDL writes them. */
export const inputFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "EventInput": {
    "nodeId": "ID",
    "id": "String",
    "iCalUID": "String",
    "kind": "String",
    "etag": "String",
    "status": "EventStatus",
    "summary": "String",
    "description": "String",
    "location": "String",
    "colorId": "String",
    "start": "EventTimeInput",
    "end": "EventTimeInput",
    "endTimeUnspecified": "Boolean",
    "recurrence": "[String!]",
    "recurringEventId": "String",
    "originalStartTime": "EventTimeInput",
    "attendees": "[EventAttendeeInput!]",
    "attendeesOmitted": "Boolean",
    "anyoneCanAddSelf": "Boolean",
    "guestsCanInviteOthers": "Boolean",
    "guestsCanModify": "Boolean",
    "guestsCanSeeOtherGuests": "Boolean",
    "organizer": "EventOrganizerInput",
    "creator": "EventCreatorInput",
    "transparency": "EventTransparency",
    "visibility": "EventVisibility",
    "reminders": "EventRemindersInput",
    "attachments": "[EventAttachmentInput!]",
    "conferenceData": "ConferenceDataInput",
    "callLink": "String",
    "htmlLink": "String",
    "extendedProperties": "EventExtendedPropertiesInput",
    "gadget": "EventGadgetInput",
    "source": "EventSourceInput",
    "locked": "Boolean",
    "privateCopy": "Boolean",
    "sequence": "Int",
    "created": "DateTime",
    "updated": "DateTime"
  },
  "EventTimeInput": {
    "date": "LocalDate",
    "dateTime": "ZonedDateTime",
    "timeZone": "String"
  },
  "EventAttendeeInput": {
    "id": "String",
    "email": "String",
    "displayName": "String",
    "organizer": "Boolean",
    "self": "Boolean",
    "resource": "Boolean",
    "optional": "Boolean",
    "responseStatus": "ResponseStatus",
    "comment": "String",
    "additionalGuests": "Int"
  },
  "EventOrganizerInput": {
    "id": "String",
    "email": "String",
    "displayName": "String",
    "self": "Boolean"
  },
  "EventCreatorInput": {
    "id": "String",
    "email": "String",
    "displayName": "String",
    "self": "Boolean"
  },
  "EventRemindersInput": {
    "useDefault": "Boolean",
    "overrides": "[EventReminderInput!]"
  },
  "EventReminderInput": {
    "method": "ReminderMethod",
    "minutes": "Int"
  },
  "EventAttachmentInput": {
    "fileId": "String",
    "fileUrl": "String",
    "iconLink": "String",
    "mimeType": "String",
    "title": "String"
  },
  "ConferenceDataInput": {
    "conferenceId": "String",
    "conferenceSolution": "ConferenceSolutionInput",
    "createRequest": "ConferenceCreateRequestInput",
    "entryPoints": "[EntryPointInput!]",
    "notes": "String",
    "parameters": "ConferenceParametersInput",
    "signature": "String"
  },
  "ConferenceSolutionInput": {
    "iconUri": "String",
    "key": "ConferenceSolutionKeyInput",
    "name": "String"
  },
  "ConferenceSolutionKeyInput": {
    "type": "String"
  },
  "ConferenceCreateRequestInput": {
    "requestId": "String",
    "conferenceSolutionKey": "ConferenceSolutionKeyInput",
    "status": "ConferenceRequestStatusInput"
  },
  "ConferenceRequestStatusInput": {
    "statusCode": "ConferenceRequestStatusCode"
  },
  "EntryPointInput": {
    "entryPointType": "EntryPointType",
    "entryPointFeatures": "[String!]",
    "uri": "String",
    "label": "String",
    "meetingCode": "String",
    "accessCode": "String",
    "passcode": "String",
    "password": "String",
    "pin": "String",
    "regionCode": "String"
  },
  "ConferenceParametersInput": {
    "addOnParameters": "ConferenceAddOnParametersInput"
  },
  "ConferenceAddOnParametersInput": {
    "parameters": "StringMap"
  },
  "EventExtendedPropertiesInput": {
    "private": "StringMap",
    "shared": "StringMap"
  },
  "EventGadgetInput": {
    "display": "GadgetDisplay",
    "height": "Int",
    "width": "Int",
    "iconLink": "String",
    "link": "String",
    "preferences": "StringMap",
    "title": "String",
    "type": "String"
  },
  "EventSourceInput": {
    "title": "String",
    "url": "String"
  },
  "NotificationInput": {
    "nodeId": "ID",
    "id": "String",
    "kind": "String",
    "etag": "String",
    "selfLink": "String",
    "topic": "String",
    "event_types": "[ObjectEventType!]",
    "object_name_prefix": "String",
    "payload_format": "PayloadFormat",
    "custom_attributes": "StringMap"
  },
  "AttendeeChangesInput": {
    "add": "[EventAttendeeInput!]",
    "remove": "[String!]"
  }
};
/** The values of each enum in them. */
export const enumValues: Readonly<Record<string, readonly string[]>> = {
  "EventStatus": [
    "confirmed",
    "tentative",
    "cancelled"
  ],
  "ResponseStatus": [
    "needsAction",
    "declined",
    "tentative",
    "accepted"
  ],
  "EventTransparency": [
    "opaque",
    "transparent"
  ],
  "EventVisibility": [
    "default",
    "public",
    "private",
    "confidential"
  ],
  "ReminderMethod": [
    "email",
    "sms",
    "popup"
  ],
  "ConferenceRequestStatusCode": [
    "pending",
    "success",
    "failure"
  ],
  "EntryPointType": [
    "video",
    "phone",
    "sip",
    "more"
  ],
  "GadgetDisplay": [
    "icon",
    "chip"
  ],
  "ObjectEventType": [
    "OBJECT_FINALIZE",
    "OBJECT_METADATA_UPDATE",
    "OBJECT_DELETE",
    "OBJECT_ARCHIVE"
  ],
  "PayloadFormat": [
    "JSON_API_V1",
    "NONE"
  ]
};
