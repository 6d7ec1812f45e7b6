import type { FieldNode } from '../../core/fields/table.ts';
import { changeTo, withoutReadOnly } from '../../core/fields/changes.ts';
import { patch } from '../../core/patch.ts';
import { Report } from '../../core/report.ts';
import type { ConferenceData } from '../model/fields.ts';
import type { Draft } from '../draft.ts';
import {
  differenceOf,
  hasNewContent,
  type ConferenceDifference,
  type ConferencePatch,
} from '../conference/difference.ts';
import { decide } from '../conference/outcome.ts';
import { addOnType, hasContent, isCreatable, typeOf } from '../conference/content.ts';

const path = ['event', 'conferenceData'] as const;

/**
 * Decides what becomes of conference data that a client sent (event resource, sections 2 and 4): the same again, a copy,
 * a request for a new conference, another provider's conference, or new notes and parameters; anything else is not
 * applied. Clients of version 0 have it ignored.
 */
export function changeConference(draft: Draft, node: FieldNode): void {
  const { body, before, report, support, changedFields } = draft;
  const stored = before.core.conferenceData;
  const sent = body.conferenceData;
  if (support.conferenceDataVersion !== 1) {
    if (isOther(draft, node)) report.warn(path, 'ignored', unsupported);
    return;
  }
  if (sent === null || sent === undefined) {
    // Null where there is none leaves a call link alone that came without conference data.
    if (stored === undefined) return;
    draft.replacements = { conferenceData: undefined, callLink: undefined };
    changedFields.push({ node, path });
    return;
  }
  const patched = withoutReadOnly(node, sent, path, draft.unapplied) as ConferencePatch;
  const merged = patch<ConferenceData | undefined>(stored, patched) ?? {};
  // A merge leaves nothing of an empty request, which is one that lacks everything.
  const asksForNothing = sent.createRequest != null && merged.createRequest === undefined;
  const difference = differenceOf(
    stored,
    patched,
    asksForNothing ? { ...merged, createRequest: {} } : merged,
  );
  const isHistory = sent.createRequest?.status != null;
  if (difference.fields.size > 0) changedFields.push({ node, path });
  if (difference.fields.size > 0 && isFixed(stored, difference)) return report.issue(path, 'invalid', fixed);
  const outcome = decide(difference, { maker: draft.conference, callLink: before.core.callLink, isHistory });
  for (const { field, message } of outcome.ignored) report.warn([...path, field], 'ignored', message);
  draft.validatedConference = outcome.validated;
  if (outcome.next) draft.replacements = outcome.next;
}

/** A conference of unknown or empty type is shown and can be removed, but not modified (section 2, key.type). */
function isFixed(stored: ConferenceData | undefined, difference: ConferenceDifference): boolean {
  const type = typeOf(stored);
  return (
    stored !== undefined &&
    hasContent(stored) &&
    type !== addOnType &&
    !isCreatable(type) &&
    (hasNewContent(difference) || difference.fields.size > 0)
  );
}

function isOther({ seen, body }: Draft, node: FieldNode): boolean {
  const silent = { report: new Report(), creating: false, changedFields: [], unapplied: [] };
  return changeTo(node, seen.conferenceData, body.conferenceData, [], silent) !== undefined;
}

const unsupported =
  'conferenceData was ignored, because conferenceDataVersion is 0. Send conferenceDataVersion: 1 to apply it.';
const fixed =
  'The stored conference is of an unknown type and cannot be modified. Remove it first with conferenceData: null.';
