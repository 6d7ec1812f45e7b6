import type { FieldErrors } from '../api/failure.ts';
import type { Draft } from './draft.ts';

/** Properties of each section of the form. */
export interface SectionProps {
  readonly draft: Draft;
  readonly errors: FieldErrors;
  readonly onChange: (change: Partial<Draft>) => void;
}
