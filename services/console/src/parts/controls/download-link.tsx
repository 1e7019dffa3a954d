import type { ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';

interface DownloadLinkProps {
  /** Path of the API relative to the console, such as `v1/…`. */
  href: string;
  children: ReactNode;
}

/** A link that downloads a file of the API. The browser streams the file to disk, so it may be large. */
export function DownloadLink({ href, children }: DownloadLinkProps) {
  return (
    <a className="btn s" href={href} download>
      <Icon name="download" size={14} />
      {children}
    </a>
  );
}
