/** SVG paths in a square of 20 × 20. */
const iconPaths = {
  repeat: 'M4 7h9a3 3 0 0 1 3 3M16 13H7a3 3 0 0 1-3-3M11 4l3 3-3 3M9 10l-3 3 3 3',
  lock: 'M6 9V7a4 4 0 0 1 8 0v2M5 9h10v7H5z',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5v.5',
  calendars: 'M3 6h14v11H3zM3 10h14M7 3v4M13 3v4',
  more: 'M10 5v.1M10 10v.1M10 15v.1',
  menu: 'M3 5h14M3 10h14M3 15h14',
  search: 'M13 13l4 4M14 8.5a5.5 5.5 0 1 1-11 0a5.5 5.5 0 1 1 11 0',
  info: 'M17 10a7 7 0 1 1-14 0a7 7 0 1 1 14 0M10 9.5v4M10 6.5v.1',
  done: 'M4 10l4 4 8-8',
  trash: 'M4 6h12M8 6V4h4v2M6 6l1 11h6l1-11',
} as const;

export type IconName = keyof typeof iconPaths;

/** A decorative icon, hidden from screen readers: the button or text beside it has the same meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}
