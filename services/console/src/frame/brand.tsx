/** The logo: bars that become shorter, as a chain loses users. */
export function Brand({ environment }: { environment?: string | undefined }) {
  return (
    <div className="flex items-center gap-2 text-[14px] font-semibold tracking-[-0.01em]">
      <svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
        <rect x="1" y="3" width="16" height="3" rx="1" fill="currentColor" />
        <rect x="1" y="7.5" width="11" height="3" rx="1" fill="currentColor" opacity=".62" />
        <rect x="1" y="12" width="6" height="3" rx="1" fill="currentColor" opacity=".34" />
      </svg>
      <span>Muster</span>
      {environment !== undefined && (
        <span className="ml-auto px-1.5 border border-line-2 rounded-sm text-xs leading-4.5 font-medium tracking-normal text-quiet">
          {environment}
        </span>
      )}
    </div>
  );
}
