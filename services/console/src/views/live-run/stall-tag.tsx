import { Icon } from '../../parts/icon/icon.tsx';

/** Badge beside the state of a run, if a part of the run waits. */
export function StallTag({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <span className="badge warn">
      <Icon name="warn" />
      {text}
    </span>
  );
}
