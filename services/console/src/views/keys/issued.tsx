import { CopyButton } from '../../parts/controls/copy-button.tsx';

/** The secret, this once. */
export function Issued({ name, secret }: { name: string; secret: string }) {
  return (
    <div className="grid gap-1.5">
      <p>
        The key of <b>{name}</b>. It is not shown again: keep it where its service reads it.
      </p>
      <span className="row">
        <code className="mono break-all py-1 px-2 border border-line rounded-md" data-autofocus tabIndex={-1}>
          {secret}
        </code>
        <CopyButton text={secret} label="Copy the key" />
      </span>
    </div>
  );
}
