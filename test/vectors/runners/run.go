package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	for input := bufio.NewReader(os.Stdin); ; {
		line, err := input.ReadString('\n')
		if err == io.EOF {
			return
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		header, _ := base64.StdEncoding.DecodeString(fields[1])
		body, _ := base64.StdEncoding.DecodeString(fields[2])
		now, _ := strconv.ParseInt(fields[3], 10, 64)
		fmt.Println(Verify(fields[0], string(header), body, time.Unix(now, 0)))
	}
}
