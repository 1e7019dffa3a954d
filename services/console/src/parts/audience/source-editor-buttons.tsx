import { Button } from '../controls/button.tsx';

export interface SourceEditorProps<Answer> {
  onAdd: (answer: Answer) => void;
  onCancel: () => void;
}

export function SourceEditorButtons({
  isReady,
  onAdd,
  onCancel,
}: {
  isReady: boolean;
  onAdd: () => void;
  onCancel: () => void;
}) {
  return (
    <div className="row">
      <Button small kind="ink" disabled={!isReady} onClick={onAdd}>
        Add
      </Button>
      <Button small kind="ghost" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
