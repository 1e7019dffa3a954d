import { SkeletonBar, useHasWaited } from '../../../parts/standing/skeleton.tsx';

export function EditorSkeleton() {
  const isVisible = useHasWaited();
  if (!isVisible) return null;
  return (
    <div className="editor" aria-hidden="true">
      <div className="grid gap-3.5 py-1.5 px-0">
        {[84, 60, 68, 60, 72].map((width, index) => (
          <SkeletonBar key={index} width={width} />
        ))}
      </div>
      <div className="grid gap-4 min-w-0">
        {[280, 300, 160, 120].map((height) => (
          <div key={height} className="panel" style={{ height }} />
        ))}
      </div>
      <div className="panel" style={{ height: 320 }} />
    </div>
  );
}
