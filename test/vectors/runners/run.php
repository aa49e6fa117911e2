<?php

declare(strict_types=1);

require __DIR__ . '/verify.php';

while (($line = fgets(STDIN)) !== false) {
    [$secret, $header, $body, $now] = explode("\t", rtrim($line, "\n"));
    $valid = verify($secret, base64_decode($header), base64_decode($body), (int) $now);
    echo $valid ? "true\n" : "false\n";
}
