import type { LiveState } from '../api/live.ts';
import { Icon } from '../ui/icon.tsx';
import { LiveBadge } from '../ui/live-badge.tsx';
import { isShowable, neighbour, titleOfShown, views, type Shown, type View } from './shown.ts';
import { todayIn } from './week.ts';

interface ToolbarProps {
  readonly shown: Shown;
  readonly zone: string;
  /** The number of days in a week view. */
  readonly weekDays: number;
  readonly live: LiveState;
  readonly onShow: (shown: Shown) => void;
  readonly isSideOpen: boolean;
  readonly onSide: () => void;
}

export function Toolbar({ shown, zone, weekDays, live, onShow, isSideOpen, onSide }: ToolbarProps) {
  const { view } = shown;
  const nameOf = (one: View): string => (one === 'week' && weekDays < 7 ? `${weekDays} days` : one);
  const name = `${nameOf(view)[0]?.toUpperCase()}${nameOf(view).slice(1)}`;
  const [before, after] = [neighbour(shown, -1, weekDays), neighbour(shown, 1, weekDays)];
  return (
    <div className="toolbar">
      <button
        type="button"
        className="plain side-button"
        aria-label="Sidebar"
        title="Sidebar"
        aria-expanded={isSideOpen}
        onClick={onSide}
      >
        <Icon name="menu" />
      </button>
      <h2 aria-live="polite">{titleOfShown(shown, weekDays)}</h2>
      <LiveBadge state={live} />
      <span className="space" />
      <div className="buttons together">
        <button
          type="button"
          aria-label={`${name} before`}
          disabled={!isShowable(before.date)}
          onClick={() => onShow(before)}
        >
          <Icon name="left" />
        </button>
        <button type="button" onClick={() => onShow({ view, date: todayIn(zone) })}>
          Today
        </button>
        <button
          type="button"
          aria-label={`${name} after`}
          disabled={!isShowable(after.date)}
          onClick={() => onShow(after)}
        >
          <Icon name="right" />
        </button>
      </div>
      <div className="buttons together" role="group" aria-label="View">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            className={one === nameOf(one) ? 'choice' : 'choice as-written'}
            aria-pressed={one === view}
            onClick={() => onShow({ ...shown, view: one })}
          >
            {nameOf(one)}
          </button>
        ))}
      </div>
    </div>
  );
}
