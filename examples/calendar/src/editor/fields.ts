import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/** Properties of each part of the form. */
export interface PartProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<Draft>) => void;
}
