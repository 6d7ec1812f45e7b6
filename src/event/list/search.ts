import type { StoredEvent } from '../model/record.ts';
import type { WorkBudget } from '../../core/runtime/work-budget.ts';
import type { EventBody } from '../model/fields.ts';
import { searchWork, tooMuchText } from './work-units.ts';

/** The search of one list for a text, in whatever case. */
export class Search {
  readonly #text: string;
  /** Of a series, whose text many instances share. */
  readonly #known = new WeakMap<EventBody, boolean>();

  constructor(text: string) {
    this.#text = text.toLowerCase();
  }

  finds(event: EventBody, budget: WorkBudget): boolean {
    return textsOf(event).some((text) => {
      budget.take(searchWork(text.length), tooMuchText);
      return text.toLowerCase().includes(this.#text);
    });
  }

  /** Whether an event may be found before it is put together: what a caller sees says no more than what is stored. */
  mayFind({ record, series }: StoredEvent, budget: WorkBudget): boolean {
    return (
      this.finds(record.core, budget) || (series !== undefined && this.#findsSeries(series.core, budget))
    );
  }

  #findsSeries(core: EventBody, budget: WorkBudget): boolean {
    let found = this.#known.get(core);
    if (found === undefined) this.#known.set(core, (found = this.finds(core, budget)));
    return found;
  }
}

const textsOf = ({ summary, description, location, attendees }: EventBody): string[] =>
  [
    summary,
    description,
    location,
    ...(attendees ?? []).flatMap(({ displayName, email }) => [displayName, email]),
  ].filter((text) => typeof text === 'string');
