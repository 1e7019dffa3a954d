import { Icon } from '../../parts/icon/icon.tsx';

/** Beside the state of a run: that a part of it waits. */
export function StallTag({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <span className="badge warn">
      <Icon name="warn" />
      {text}
    </span>
  );
}
