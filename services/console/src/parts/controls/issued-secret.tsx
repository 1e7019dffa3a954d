import { CopyButton } from './copy-button.tsx';

interface IssuedProps {
  what: 'key' | 'secret';
  name: string;
  secret: string;
}

export function IssuedSecret({ what, name, secret }: IssuedProps) {
  return (
    <div className="grid gap-1.5">
      <p>
        The {what} of <b>{name}</b>. It is not shown again: keep it where its service reads it.
      </p>
      <span className="row">
        <code className="mono break-all py-1 px-2 border border-line rounded-md" data-autofocus tabIndex={-1}>
          {secret}
        </code>
        <CopyButton text={secret} label={`Copy the ${what}`} />
      </span>
    </div>
  );
}
