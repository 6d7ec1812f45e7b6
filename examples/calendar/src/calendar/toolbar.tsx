import type { LiveState } from '../api/live.ts';
import { Icon } from '../ui/icon.tsx';
import { LiveBadge } from '../ui/live-badge.tsx';
import { isShowable, neighbour, titleOfShown, views, type Shown } from './shown.ts';
import { todayIn } from './week.ts';

interface ToolbarProps {
  readonly shown: Shown;
  readonly zone: string;
  readonly live: LiveState;
  readonly onShow: (shown: Shown) => void;
}

export function Toolbar({ shown, zone, live, onShow }: ToolbarProps) {
  const { view } = shown;
  const name = `${view[0]?.toUpperCase()}${view.slice(1)}`;
  const [before, after] = [neighbour(shown, -1), neighbour(shown, 1)];
  return (
    <div className="toolbar">
      <h2 aria-live="polite">{titleOfShown(shown)}</h2>
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
            className="choice"
            aria-pressed={one === view}
            onClick={() => onShow({ ...shown, view: one })}
          >
            {one}
          </button>
        ))}
      </div>
    </div>
  );
}
