import type { ReactNode } from 'react';

/** Line icons for a square of 16 by 16, in the colour of the surrounding text. */
const outlines = {
  draft: <circle cx="8" cy="8" r="5.75" strokeDasharray="2.2 2.3" />,
  scheduled: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  review: (
    <>
      <path d="M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8Z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.5a3.5 3.5 0 0 1 0 7Z" fill="currentColor" stroke="none" />
    </>
  ),
  partly: (
    <>
      <path d="M13.4 6.2A6 6 0 1 0 9 13.7" />
      <path d="M5 7.9l2 1.9 3.6-4.1" />
      <path d="M11.2 9h2v3.2h-2ZM11.2 13.3h2v2h-2Z" fill="currentColor" stroke="none" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M4.2 11.8 11.8 4.2" />
    </>
  ),
  expired: <path d="M4 2h8M4 14h8M4.8 2c0 3.5 6.4 4.5 6.4 12M11.2 2c0 3.5-6.4 4.5-6.4 12" />,
  unknown: (
    <>
      <path d="M8 .9 15.1 8 8 15.1.9 8Z" strokeWidth="1.4" />
      <path d="M6.3 6.5a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.6.5-.6.9" strokeWidth="1.4" />
      <circle cx="8" cy="11" r=".9" fill="currentColor" stroke="none" />
    </>
  ),
  pending: <circle cx="8" cy="8" r="5.75" />,
  skipped: <path d="M3 11.5c0-6 9-6 9-.5M12 11l2-2.2M12 11 9.5 9.5" />,
  muted: (
    <path d="M8 2a3.5 3.5 0 0 0-3.5 3.5c0 3.5-1.5 4.5-1.5 5h10c0-.5-1.5-1.5-1.5-5A3.5 3.5 0 0 0 8 2ZM6.5 13.2a1.7 1.7 0 0 0 3 0M2 2l12 12" />
  ),
  heldout: <rect x="2.5" y="2.5" width="11" height="11" rx="2" strokeDasharray="2.4 2.2" />,
  open: (
    <>
      <path d="M1 8h3.5M11.5 8H15M5 8l5.5-4" />
      <circle cx="11.5" cy="8" r=".5" />
      <circle cx="4.5" cy="8" r=".5" />
    </>
  ),
  closed: (
    <>
      <path d="M1 8h14" />
      <circle cx="4.5" cy="8" r="1.2" fill="currentColor" />
      <circle cx="11.5" cy="8" r="1.2" fill="currentColor" />
    </>
  ),
  half: (
    <>
      <path d="M1 8h3.5M11.5 8H15M5 7.5l6-1.5" />
      <circle cx="4.5" cy="8" r="1" />
      <circle cx="11.5" cy="8" r="1" />
    </>
  ),
  sideline: <path d="M2 4h12M2 8h6M2 12h6M11 8v5M9 11l2 2 2-2" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  x: <path d="m4 4 8 8M12 4l-8 8" />,
  check: <path strokeWidth="2.2" d="m3 8.5 3.2 3.2L13 4.5" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  stop: <rect x="3.5" y="3.5" width="9" height="9" rx="1.5" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  down: <path d="m3.5 6 4.5 4.5L12.5 6" />,
  left: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  arrow: <path d="M2.5 8h11M9.5 4l4 4-4 4" />,
  up: <path d="M8 13V3M4 7l4-4 4 4" />,
  dn: <path d="M8 3v10M4 9l4 4 4-4" />,
  edit: <path d="m3 10.5-.5 3 3-.5 7.5-7.5-2.5-2.5Z" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  download: <path d="M8 2.5v7.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11" />,
  print: <path d="M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7Z" />,
  retry: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.7h-2.7" />,
  campaign: <path d="M2.5 6.5v3h2.5l6.5 3.5V3L5 6.5ZM5 9.5v3.5h2v-2.4M13.5 6.5v3" />,
  calendar: (
    <>
      <rect x="2.5" y="3.5" width="11" height="10" rx="1.5" />
      <path d="M2.5 6.5h11M5.5 2v2.5M10.5 2v2.5" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.5 13c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.4c1.5.5 2.5 1.8 2.5 3.6" />
    </>
  ),
  tick: <path d="M3 8.5 6 11.5 13 4.5" />,
  dead: <path d="M2.5 9v3.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V9M2.5 9h3l1 1.5h3l1-1.5h3L11.5 3h-7Z" />,
  limits: (
    <>
      <path d="M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5" />
      <circle cx="9.5" cy="4.5" r="1.8" />
      <circle cx="6.5" cy="11.5" r="1.8" />
    </>
  ),
  shards: <path d="M2.5 4h11M2.5 8h11M2.5 12h11M6 2.5v3M11 6.5v3M5 10.5v3" />,
  types: <path d="M8.5 2 4 9h3.5L7 14l5-7.5H8.5Z" />,
  audit: <path d="M4 2.5h8v11l-2-1.3-2 1.3-2-1.3-2 1.3ZM6 5.5h4M6 8.5h4" />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  jobs: (
    <>
      <rect x="2.5" y="2.5" width="11" height="4" rx="1" />
      <rect x="2.5" y="9.5" width="11" height="4" rx="1" />
    </>
  ),
  sched: <path d="M13.5 8A5.5 5.5 0 1 1 11 3.4M11 2v2.5H8.5M8 5v3l2 1.5" />,
  key: (
    <>
      <circle cx="5" cy="11" r="2.5" />
      <path d="m7 9 6-6M11 5l1.5 1.5" />
    </>
  ),
  nodes: (
    <>
      <circle cx="8" cy="3.5" r="1.7" />
      <circle cx="3.5" cy="12" r="1.7" />
      <circle cx="12.5" cy="12" r="1.7" />
      <path d="M7.2 5 4.3 10.5M8.8 5l2.9 5.5M5.2 12h5.6" />
    </>
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.5" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.3 8h11.4M8 2.3c2.5 2.5 2.5 9 0 11.4M8 2.3c-2.5 2.5-2.5 9 0 11.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.5v3.5M8 5v.1" />
    </>
  ),
  fwd: <path d="M2 8h8M7 4.5 10.5 8 7 11.5M13.5 3.5v9" />,
  gap: <path d="M2 8h3.5M10.5 8H14M6 5.5v5M10 5.5v5" />,
  twice: <path d="M3 6h8.5L9 3.5M13 10H4.5L7 12.5" />,
} satisfies Readonly<Record<string, ReactNode>>;

const areas = {
  paused: (
    <path d="M4.5 1.5h7a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3h-7a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3ZM5.5 5v6h1.7V5Zm3.3 0v6h1.7V5Z" />
  ),
  done: <path d="M8 1.2a6.8 6.8 0 1 1 0 13.6A6.8 6.8 0 0 1 8 1.2Zm3.4 4.2-4.2 4.7-2-1.9-1 1.1 3.1 2.9 5.2-5.8Z" />,
  failed: <path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2ZM6 5 5 6l2 2-2 2 1 1 2-2 2 2 1-1-2-2 2-2-1-1-2 2Z" />,
  warn: <path d="M8 1.3 15.3 14.5H.7ZM7.2 6v4.2h1.6V6Zm0 5.3v1.6h1.6v-1.6Z" />,
  live: <circle cx="8" cy="8" r="6" />,
  star: <path d="m8 1.8 1.9 4 4.4.6-3.2 3 .8 4.4L8 11.7l-3.9 2.1.8-4.4-3.2-3 4.4-.6Z" />,
  play: <path d="M4.5 2.8v10.4L13 8Z" />,
  more: (
    <>
      <circle cx="3" cy="8" r="1.3" />
      <circle cx="8" cy="8" r="1.3" />
      <circle cx="13" cy="8" r="1.3" />
    </>
  ),
} satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof outlines | keyof typeof areas;

interface IconProps {
  name: IconName;
  /** Size in pixels. Default: 16. */
  size?: 12 | 14 | 16;
  className?: string;
}

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;
const shapes: Readonly<Record<IconName, ReactNode>> = { ...outlines, ...areas };

const area = { fill: 'currentColor', fillRule: 'evenodd' } as const;

/** An icon. Screen readers skip it, and read the word beside it instead. */
export function Icon({ name, size = 16, className }: IconProps) {
  const drawn = name in areas ? area : line;

  return (
    <svg
      viewBox="0 0 16 16"
      {...drawn}
      width={size}
      height={size}
      className={className === undefined ? 'i' : `i ${className}`}
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  );
}
