import type { FieldNode } from '../../core/fields/table.ts';
import { withoutReadOnly } from '../../core/fields/changes.ts';
import { patch } from '../../core/patch.ts';
import type { ConferenceData } from '../model/fields.ts';
import type { Draft } from '../draft.ts';
import { changeConference, type ConferencePatch, differenceOf } from '../conference/change.ts';
import { addOnType, hasContent, isCreatable, typeOf } from '../conference/content.ts';

const path = ['event', 'conferenceData'] as const;

/**
 * Decides what becomes of conference data that a client sent (event resource, sections 2 and 4): the same again, a copy,
 * a request for a new conference, another provider's conference, or new notes and parameters; anything else is not
 * applied.
 */
export function takeConference(draft: Draft, node: FieldNode): void {
  const { body, before, report, changedFields } = draft;
  const stored = before.core.conferenceData;
  const sent = body.conferenceData;
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
  if (difference.fields.size > 0) {
    changedFields.push({ node, path });
    if (isFixed(stored)) return report.issue(path, 'invalid', fixed);
  }
  const { callLink } = before.core;
  const context = { maker: draft.conference(), callLink, isHistory };
  const { ignored, validated, next } = changeConference(difference, context);
  for (const { field, message } of ignored) report.warn([...path, field], 'ignored', message);
  draft.validatedConference = validated;
  if (next) draft.replacements = next;
}

/** A conference of unknown or empty type is shown and can be removed, but not modified (section 2, key.type). */
function isFixed(stored: ConferenceData | undefined): boolean {
  const type = typeOf(stored);
  return stored !== undefined && hasContent(stored) && type !== addOnType && !isCreatable(type);
}

const fixed =
  'The stored conference is of an unknown type and cannot be modified. Remove it first with conferenceData: null.';
