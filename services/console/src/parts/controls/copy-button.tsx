import { useState } from 'react';
import { Button } from './button.tsx';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <>
      <Button
        small
        kind="ghost"
        icon={copied ? 'tick' : 'copy'}
        label={label}
        onBlur={() => setCopied(false)}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      />
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </>
  );
}

/** An id with a copy button. The middle of a long id is omitted, because ids differ at both ends. */
export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span className="row gap-1">
      <span className="mono" title={id}>
        {shortId(id)}
      </span>
      <CopyButton text={id} label={`Copy the ${what}`} />
    </span>
  );
}

/** Shortens an id to `run_01jq…8c8c`. Ids up to 20 characters stay whole. */
export function shortId(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 12)}…${id.slice(-6)}`;
}
