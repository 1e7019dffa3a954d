import { Icon } from '../../parts/icon/icon.tsx';

export function StallTag({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <span className="badge warn">
      <Icon name="warn" />
      {text}
    </span>
  );
}
