/** The mark: bars that grow shorter, as a chain loses users. */
export function Brand({ environment }: { environment?: string | undefined }) {
  return (
    <div className="brand">
      <svg viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="3" width="16" height="3" rx="1" fill="currentColor" />
        <rect x="1" y="7.5" width="11" height="3" rx="1" fill="currentColor" opacity=".62" />
        <rect x="1" y="12" width="6" height="3" rx="1" fill="currentColor" opacity=".34" />
      </svg>
      <span>Muster</span>
      {environment !== undefined && <span className="env">{environment}</span>}
    </div>
  );
}
