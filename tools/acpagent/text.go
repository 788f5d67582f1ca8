package main

import (
	"bytes"
	"context"
	"encoding/base64"
	picture "image"
	"image/color"
	"image/png"
	"strconv"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// maxChunks bounds what /stream adds to the history.
	maxChunks = 1_000_000
	// slowPause is the time between two chunks of /slow.
	slowPause = 50 * time.Millisecond
	// imageSize is the width and height of /image, in pixels.
	imageSize = 32
)

func echo(ctx context.Context, t *turn, arg string) error { return t.say(ctx, arg) }

func think(ctx context.Context, t *turn, arg string) error {
	if err := t.think(ctx, arg); err != nil {
		return err
	}
	return t.say(ctx, "That was a thought.")
}

func stream(ctx context.Context, t *turn, arg string) error {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n > maxChunks {
		return errArgument
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.say(ctx, strconv.Itoa(i+1)+" "); err != nil {
			return err
		}
	}
	return nil
}

// slow is a tool call that goes on until the turn is cancelled.
func slow(ctx context.Context, t *turn, _ string) error {
	call, err := t.tool(ctx, acpv1.ToolKindThink, "Count", nil)
	if err != nil {
		return err
	}
	if err := call.start(ctx); err != nil {
		return err
	}
	ticker := time.NewTicker(slowPause)
	defer ticker.Stop()
	for i := 1; ; i++ {
		if err := t.say(ctx, strconv.Itoa(i)+" "); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func image(ctx context.Context, t *turn, _ string) error {
	img := picture.NewGray(picture.Rect(0, 0, imageSize, imageSize))
	for y := range imageSize {
		for x := range imageSize {
			img.SetGray(x, y, color.Gray{Y: uint8(x * y * 255 / (imageSize * imageSize))})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	return t.sayBlock(ctx, &acpv1.ImageContent{MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes())})
}
