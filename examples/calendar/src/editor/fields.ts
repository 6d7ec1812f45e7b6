import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/** What each part of the form gets. */
export interface PartProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<Draft>) => void;
}
