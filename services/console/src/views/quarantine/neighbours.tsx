import { Button } from '../../parts/controls/button.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';

interface NeighboursProps {
  onNewer: (() => void) | null;
  onOlder: (() => void) | null;
}

export function Neighbours({ onNewer, onOlder }: NeighboursProps) {
  useKeys([
    { keys: '[', does: 'Newer item', group: 'This page', run: () => onNewer?.() },
    { keys: ']', does: 'Older item', group: 'This page', run: () => onOlder?.() },
  ]);
  return (
    <>
      <Button small icon="left" label="Newer ( [ )" disabled={onNewer === null} onClick={() => onNewer?.()} />
      <Button small icon="right" label="Older ( ] )" disabled={onOlder === null} onClick={() => onOlder?.()} />
    </>
  );
}
