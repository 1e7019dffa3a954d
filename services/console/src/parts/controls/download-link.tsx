import type { ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';

interface DownloadLinkProps {
  /** Of the API, beside the console: `v1/…`. */
  href: string;
  children: ReactNode;
}

/** A file of the API, however large: the browser streams it to where it keeps its downloads. */
export function DownloadLink({ href, children }: DownloadLinkProps) {
  return (
    <a className="btn s" href={href} download>
      <Icon name="download" size={14} />
      {children}
    </a>
  );
}
