package server

import "context"

// endingWith returns ctx, ending also when ended is closed, for the cause. Call stop when it is not needed any more.
func endingWith(ctx context.Context, ended <-chan struct{}, cause error) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-ended:
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
