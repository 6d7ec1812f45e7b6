import type { FieldNode } from '../../core/fields/table.ts';
import { removeReadOnly } from '../../core/fields/reduce-change.ts';
import { patch } from '../../core/json.ts';
import type { ConferenceData } from '../model/fields.ts';
import type { Draft } from '../draft.ts';
import { decideConferenceChange, type ConferencePatch, compareConference } from '../conference/change.ts';
import { addOnType, hasContent, isCreatableType, solutionTypeOf } from '../conference/signed-content.ts';

const conferencePath = ['event', 'conferenceData'] as const;

/** Applies conference data that a client sent (event resource, sections 2 and 4). Unsupported changes only cause warnings. */
export function applyConference(draft: Draft, node: FieldNode): void {
  const { body, before, report, changedFields } = draft;
  const storedConference = before.core.conferenceData;
  const sentConference = body.conferenceData;
  if (sentConference === null || sentConference === undefined) {
    // Null without a stored conference keeps a call link that was imported without conference data.
    if (storedConference === undefined) return;
    draft.replacements = { conferenceData: undefined, callLink: undefined };
    changedFields.push({ node, path: conferencePath });
    return;
  }
  const patchedConference = removeReadOnly(
    node,
    sentConference,
    conferencePath,
    draft.unappliedValues,
  ) as ConferencePatch;
  const mergedConference = patch<ConferenceData | undefined>(storedConference, patchedConference) ?? {};
  // A merge drops an empty request, which the rules must report as incomplete.
  const isEmptyRequest = sentConference.createRequest != null && mergedConference.createRequest === undefined;
  const difference = compareConference(
    storedConference,
    patchedConference,
    isEmptyRequest ? { ...mergedConference, createRequest: {} } : mergedConference,
  );
  const isRequestHistory = sentConference.createRequest?.status != null;
  if (difference.changedFields.size > 0) {
    changedFields.push({ node, path: conferencePath });
    if (isUnchangeable(storedConference))
      return report.addIssue(conferencePath, 'invalid', unchangeableMessage);
  }
  const { callLink } = before.core;
  const conferenceInput = { maker: draft.getConferenceMaker(), callLink, isRequestHistory };
  const { warnings, validatedConference, valuesToStore } = decideConferenceChange(
    difference,
    conferenceInput,
  );
  for (const { field, message } of warnings) report.warn([...conferencePath, field], 'ignored', message);
  draft.validatedConference = validatedConference;
  if (valuesToStore) draft.replacements = valuesToStore;
}

/** Whether a conference can only be shown and removed, since its type is unknown or empty (section 2, key.type). */
function isUnchangeable(storedConference: ConferenceData | undefined): boolean {
  const type = solutionTypeOf(storedConference);
  return (
    storedConference !== undefined &&
    hasContent(storedConference) &&
    type !== addOnType &&
    !isCreatableType(type)
  );
}

const unchangeableMessage =
  'The stored conference is of an unknown type and cannot be modified. Remove it first with conferenceData: null.';
